set(_ 1)
