(: Processing Continuous Historical Queries over XML Update Streams, section 3, the form `e?t` of the list of extensions.
   Corrected: the paper gives the form only; the path is that of its other examples. :)
./a/b?60
