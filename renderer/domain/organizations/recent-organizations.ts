import { useLocalStorage } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { organizationQuery } from '../../data/organizations.ts'
import { useMe } from '../../lib/session.ts'
import { useOpenOrganizationId } from './selected-organization.ts'

const maxRecent = 5

/**
 * The organizations that the user opened last in this browser and partner, newest first. Ids only, because names
 * change.
 */
export function useRecentOrganizations() {
  const { id, partnerId } = useMe()
  const [recent, setRecent] = useLocalStorage<string[]>({
    key: `homeport.organizations.${id}.${partnerId}`,
    defaultValue: [],
    getInitialValueInEffect: false,
  })
  const remember = (orgId: string) =>
    setRecent((before) => [orgId, ...before.filter((one) => one !== orgId)].slice(0, maxRecent))
  return { recent, remember }
}

/** Remembers the organizations that the user selects or opens; one that does not exist is not remembered. */
export function useRememberOrganizations(): void {
  const id = useOpenOrganizationId()
  const { recent, remember } = useRecentOrganizations()
  const { data } = useQuery({ ...organizationQuery(id ?? ''), enabled: id !== undefined })
  useEffect(() => {
    if (data && recent[0] !== data.id) remember(data.id)
  })
}
