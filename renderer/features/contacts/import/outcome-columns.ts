/** Columns that a result file adds. */
export const outcomeColumns = ['Import outcome', 'Import reason'] as const
