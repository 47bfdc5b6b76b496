"""Pictures: a small language of drawings, DOT text from it, and SVG, PNG and PDF from that."""
