(: Thesis on StreamGlobe, FluX and best-match joins, example 3.8.3, the simple expression.
   Corrected: the fragment XQuery- writes parts side by side and has no `else`; here they are a sequence. :)
(<a>{$x}</a>, if (fn:count($x/b) = 5) then <b>5</b> else ())
