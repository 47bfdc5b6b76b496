# Answers on standard output, one line each: "fit" (nanoseconds), "mothers", "classify N".
# Arguments: a file of rows of bytes (the class last), states, classes, attributes.
suppressPackageStartupMessages(library(bnlearn))
arguments <- commandArgs(trailingOnly = TRUE)
states <- as.integer(arguments[2]); classes <- as.integer(arguments[3]); d <- as.integer(arguments[4])
cells <- as.integer(readBin(arguments[1], "raw", n = file.size(arguments[1])))
cells <- matrix(cells, ncol = d + 1, byrow = TRUE)
names <- c(paste0("x", seq_len(d) - 1), "class")
table <- lapply(seq_len(d + 1), function(i) {
  factor(cells[, i], levels = seq_len(if (i > d) classes else states) - 1)
})
table <- as.data.frame(setNames(table, names))
questions <- file("stdin", open = "r")
cat("ready\n"); flush(stdout())
while (length(line <- readLines(questions, n = 1)) == 1) {
  words <- strsplit(line, " ")[[1]]
  if (words[1] == "fit") {
    start <- proc.time()[["elapsed"]]
    net <- tree.bayes(table, training = "class")
    fitted <- bn.fit(net, table, method = "bayes", iss = 1)
    cat(round(1e9 * (proc.time()[["elapsed"]] - start)), "\n")
  } else if (words[1] == "mothers") {
    mother <- function(name) setdiff(parents(fitted, name), "class")
    found <- sapply(names[seq_len(d)], function(name) {
      if (length(mother(name))) match(mother(name), names) - 1 else -1
    })
    cat(found, "\n")
  } else {
    rows <- table[seq_len(as.integer(words[2])), ]
    cat(as.integer(predict(fitted, data = rows)) - 1, "\n")
  }
  flush(stdout())
}
