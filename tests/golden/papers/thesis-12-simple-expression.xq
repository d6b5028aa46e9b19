(: Thesis on StreamGlobe, FluX and best-match joins, example 3.4.11.
   Corrected: the fragment XQuery- writes parts side by side and has no `else`; here they are a sequence. :)
(<a>{$x}</a>, if ($x/b=5) then <b>5</b> else ())
