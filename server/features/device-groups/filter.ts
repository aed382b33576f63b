import { RE2JSException } from 're2js'
import { fieldsUsed, filterConditions } from '../../../shared/device-filter.ts'
import { toJson } from '../../lib/json.ts'
import { AppError, validationError } from '../../platform/errors.ts'
import { assertPatternsFit, PatternsTooLarge } from './patterns.ts'

/**
 * The columns that hold a rule; null is a group without one.
 * @throws AppError `group_filter_invalid`, with what is wrong by its path
 */
export function filterColumns(sent: Record<string, unknown> | null) {
  if (sent === null) return { filter_conditions: null, filter_fields_used: toJson<string[]>([]) }
  const { data, error } = filterConditions.safeParse(sent)
  if (error) throw new AppError('group_filter_invalid', { details: validationError(error).extra.details })
  try {
    assertPatternsFit(data)
  } catch (problem) {
    if (!(problem instanceof RE2JSException || problem instanceof PatternsTooLarge)) throw problem
    const details = { formErrors: [`Invalid pattern: ${problem.message}`], fieldErrors: {} }
    throw new AppError('group_filter_invalid', { details })
  }
  return { filter_conditions: toJson(data), filter_fields_used: toJson(fieldsUsed(data)) }
}
