import { nameKey } from '../../../shared/names.ts'
import { plural } from '../../lib/format.ts'

interface Named {
  id: string
  name: string
}

/** The ids of those that share their name with another one. */
export function idsWithSharedName(all: readonly Named[]): ReadonlySet<string> {
  const byName = Map.groupBy(all, ({ name }) => nameKey(name))
  return new Set([...byName.values()].flatMap((same) => (same.length > 1 ? same.map(({ id }) => id) : [])))
}

interface OrganizationIdentity {
  slug: string
  deviceCount?: number | undefined
}

/** Tells an organization from others of the same name. */
export const distinguishingText = ({ slug, deviceCount }: OrganizationIdentity): string =>
  deviceCount === undefined ? slug : `${slug}, ${plural(deviceCount, 'device')}`

/** Names of two organizations, with their slugs if the names are the same. */
export function pairNames(one: PairMember, other: PairMember): [string, string] {
  const isShared = nameKey(one.name) === nameKey(other.name)
  const nameOf = ({ name, slug }: PairMember) => (isShared && slug ? `${name} (${slug})` : name)
  return [nameOf(one), nameOf(other)]
}

interface PairMember {
  name: string
  /** Null if it is no longer known. */
  slug: string | null
}

/** Name of an organization in a list; with a distinction if its id is in `idsWithSharedName`. */
export const distinctName =
  (namesakes: ReadonlySet<string>) =>
  (one: Named & OrganizationIdentity): string =>
    namesakes.has(one.id) ? `${one.name} (${distinguishingText(one)})` : one.name
