import { useLocalStorage } from '@mantine/hooks'
import { useMe } from '../../lib/session.ts'

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
