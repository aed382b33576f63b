import { useQueries } from '@tanstack/react-query'
import type { Organization } from '../../../../shared/api/organizations.ts'
import { searchable } from '../../../../shared/paging.ts'
import { organizationsQuery } from '../../../data/organizations.ts'
import { nearestName, searchForLike } from './near-names.ts'
import type { UnresolvedName } from './unresolved-names.ts'

/** The organizations that names in the file probably mean, by key of the name. */
export function useGuesses(
  names: readonly UnresolvedName[],
  partnerId: string | undefined,
): Map<string, Pick<Organization, 'id' | 'name'>> {
  const named = names.filter(({ place, text }) => place === 'organization' && searchForLike(text) !== '')
  const found = useQueries({
    queries: named.map(({ text }) =>
      organizationsQuery({ page: 1, limit: 50, partnerId, search: searchable(searchForLike(text)) }),
    ),
  })
  const guesses = new Map<string, Pick<Organization, 'id' | 'name'>>()
  named.forEach(({ key, text }, index) => {
    const guess = nearestName(text, found[index]?.data?.data ?? [])
    if (guess) guesses.set(key, guess)
  })
  return guesses
}
