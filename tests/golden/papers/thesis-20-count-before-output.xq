(: Thesis on StreamGlobe, FluX and best-match joins, example 3.8.3, the expression that is not simple.
   Corrected: the fragment XQuery- writes parts side by side; here they are a sequence. :)
(<numb>{fn:count($x/b)}</numb>, <a>{$x}</a>)
