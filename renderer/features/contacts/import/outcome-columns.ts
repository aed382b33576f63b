/** What a result adds to the columns of the file. */
export const outcomeColumns = ['Import outcome', 'Import reason'] as const
