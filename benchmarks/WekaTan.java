import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import weka.classifiers.bayes.BayesNet;
import weka.classifiers.bayes.net.estimate.SimpleEstimator;
import weka.classifiers.bayes.net.search.local.Scoreable;
import weka.classifiers.bayes.net.search.local.TAN;
import weka.core.Attribute;
import weka.core.FastVector;
import weka.core.Instance;
import weka.core.Instances;
import weka.core.SelectedTag;
import weka.core.Tag;

/** Answers on standard output, one line each: "fit" (nanoseconds), "mothers", "classify N". */
public class WekaTan {
    public static void main(String[] arguments) throws Exception {
        Instances table = read(arguments);
        BayesNet net = null;
        BufferedReader questions = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        for (String line = questions.readLine(); line != null; line = questions.readLine()) {
            String[] words = line.split(" ");
            if (words[0].equals("fit")) {
                net = new BayesNet();
                TAN search = new TAN(); /* the tree of largest I(Xi;Xj|Y), not of largest Bayesian score */
                search.setScoreType(new SelectedTag(Scoreable.ENTROPY, TAN.TAGS_SCORE_TYPE));
                SimpleEstimator estimator = new SimpleEstimator();
                estimator.setAlpha(1.0);
                net.setSearchAlgorithm(search);
                net.setEstimator(estimator);
                long start = System.nanoTime();
                net.buildClassifier(table);
                System.out.println(System.nanoTime() - start);
            } else if (words[0].equals("mothers")) {
                System.out.println(mothers(net, table.numAttributes() - 1));
            } else {
                StringBuilder classes = new StringBuilder();
                for (int row = 0; row < Integer.parseInt(words[1]); row++)
                    classes.append((int) net.classifyInstance(table.instance(row))).append(' ');
                System.out.println(classes.toString().trim());
            }
        }
    }

    /** Reads rows of bytes, the class last; arguments: file, states, classes, attributes. */
    static Instances read(String[] arguments) throws Exception {
        int states = Integer.parseInt(arguments[1]), classes = Integer.parseInt(arguments[2]);
        int d = Integer.parseInt(arguments[3]);
        FastVector attributes = new FastVector();
        for (int i = 0; i <= d; i++) {
            FastVector values = new FastVector();
            for (int v = 0; v < (i < d ? states : classes); v++) values.addElement("s" + v);
            attributes.addElement(new Attribute("x" + i, values));
        }
        byte[] cells = Files.readAllBytes(Path.of(arguments[0]));
        int n = cells.length / (d + 1);
        Instances table = new Instances("table", attributes, n);
        table.setClassIndex(d);
        for (int row = 0; row < n; row++) {
            double[] values = new double[d + 1];
            for (int i = 0; i <= d; i++) values[i] = cells[row * (d + 1) + i] & 255;
            table.add(new Instance(1.0, values));
        }
        return table;
    }

    static String mothers(BayesNet net, int d) {
        StringBuilder mothers = new StringBuilder();
        for (int i = 0; i < d; i++) {
            int mother = -1;
            for (int p = 0; p < net.getNrOfParents(i); p++) if (net.getParent(i, p) != d) mother = net.getParent(i, p);
            mothers.append(mother).append(' ');
        }
        return mothers.toString().trim();
    }
}
