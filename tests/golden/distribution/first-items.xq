head(//order), (//order/@id/string())[position() le 2]
