import { z } from 'zod'
import { userStatus } from '../../shared/api/people.ts'
import { searchText } from '../../shared/paging.ts'

/** Invalid search parameters are ignored. */
export const text = z.string().max(255).optional().catch(undefined)
export const searchTerm = searchText.optional().catch(undefined)
/** As long as a snapshot can have one. */
export const filePath = z.string().min(1).max(32_768).optional().catch(undefined)
export const id = z.uuid().optional().catch(undefined)
export const pageNumber = z.coerce.number().int().min(2).max(1_000_000).optional().catch(undefined)
export const oneOf = <const T extends string>(values: readonly T[]) =>
  z
    .enum(values as readonly [T, ...T[]])
    .optional()
    .catch(undefined)

/** Filters of lists of people. */
export const peopleSearch = {
  search: searchTerm,
  within: z
    .union([z.literal('company'), z.uuid()])
    .optional()
    .catch(undefined),
  as: id,
  account: oneOf(userStatus.options),
}
