import { fromJson, type JsonText } from '../../../lib/json.ts'
import type { Identity } from '../../../platform/actor.ts'
import { AppError } from '../../../platform/errors.ts'

/** What a membership in an organization is confined to; null where it is not confined. */
export interface Confinement {
  siteIds: readonly string[] | null
  deviceGroupIds: readonly string[] | null
}

export type Confined = Pick<Identity, 'sites' | 'groups'>

/**
 * Who is confined to sites or groups may give others no wider reach.
 * @throws AppError `reach_wider_than_own` (403)
 */
export function assertWithinOwnReach(actor: Confined, confinement: Confinement): void {
  if (!isWithinOwnReach(actor, confinement)) throw new AppError('reach_wider_than_own')
}

export function isWithinOwnReach({ sites, groups }: Confined, { siteIds, deviceGroupIds }: Confinement): boolean {
  const isWithin = (own: ReadonlySet<string> | null, ids: readonly string[] | null) =>
    own === null || ids?.every((id) => own.has(id)) === true
  return isWithin(sites, siteIds) && isWithin(groups, deviceGroupIds)
}

/** A stored JSON list of ids; null, which means no confinement, stays null. */
export const parseIdList = (list: JsonText<string[]> | null): string[] | null => (list === null ? null : fromJson(list))
