import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import weka.classifiers.Classifier;
import weka.core.Attribute;
import weka.core.FastVector;
import weka.core.Instance;
import weka.core.Instances;

/** A classifier of Weka's, learned from a file of bytes (rows, the class last); every line asked is answered
 *  by the nanoseconds that the distributions of all rows take, on the clock and on the processor, and the most
 *  probable class of each row. */
public class WekaBayes {
    public static void main(String[] arguments) throws Exception {
        Instances table = read(arguments[0], arguments[1].split(","));
        Classifier model = Classifier.forName("weka.classifiers.bayes." + arguments[2], null);
        model.buildClassifier(table);
        BufferedReader questions = new BufferedReader(new InputStreamReader(System.in));
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        System.out.println("ready");
        for (String line = questions.readLine(); line != null; line = questions.readLine()) {
            int n = table.numInstances();
            double[][] found = new double[n][];
            long start = System.nanoTime(), spent = clock.getCurrentThreadCpuTime();
            for (int row = 0; row < n; row++) found[row] = model.distributionForInstance(table.instance(row));
            StringBuilder answer = new StringBuilder().append(System.nanoTime() - start);
            answer.append(' ').append(clock.getCurrentThreadCpuTime() - spent);
            for (double[] distribution : found) answer.append(' ').append(weka.core.Utils.maxIndex(distribution));
            System.out.println(answer);
        }
    }

    static Instances read(String file, String[] cards) throws Exception {
        FastVector attributes = new FastVector();
        for (int i = 0; i < cards.length; i++) {
            FastVector values = new FastVector();
            for (int v = 0; v < Integer.parseInt(cards[i]); v++) values.addElement("s" + v);
            attributes.addElement(new Attribute("x" + i, values));
        }
        byte[] cells = Files.readAllBytes(Path.of(file));
        int width = cards.length, n = cells.length / width;
        Instances table = new Instances("table", attributes, n);
        table.setClassIndex(width - 1);
        for (int row = 0; row < n; row++) {
            double[] values = new double[width];
            for (int i = 0; i < width; i++) values[i] = cells[row * width + i] & 255;
            table.add(new Instance(1.0, values));
        }
        return table;
    }
}
