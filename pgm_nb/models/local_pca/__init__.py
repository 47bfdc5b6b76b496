"""The mixture of Gaussians on local principal components: clusters, search, the estimator."""
