'use strict';

require('./record-errors.cjs').recordOnLoad();
