// filled by its module
