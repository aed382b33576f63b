import { rulesOf, type TableName, tableNames } from '../../tables.ts'

/** Tables whose rows go with a device or an organization that is erased, each before those it refers to. */
export const tablesThatGoWith = (owner: 'device' | 'organization'): TableName[] =>
  tableNames.toReversed().filter((table) => {
    const { erasure } = rulesOf(table)
    return 'goWith' in erasure && erasure.goWith === owner
  })
