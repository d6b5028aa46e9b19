(: Processing Continuous Historical Queries over XML Update Streams, section 3. :)
./a/b
