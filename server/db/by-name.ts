import { sql } from 'kysely'

/** For lists of names as people look them up; knows no index, so for those that are read and sorted as a whole. */
export const byName = (column: string) => sql<string>`name_order(${sql.ref(column)})`
