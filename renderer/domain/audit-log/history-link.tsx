import { IconHistory } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import type { LogFilters } from '../../data/audit-log.ts'
import { useOfferActions } from '../../lib/page-actions.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { ButtonLink, TextLink } from '../../ui/links.tsx'

interface About extends Pick<LogFilters, 'org' | 'q' | 'resource'> {
  /** The name of the object whose id is `resource`. */
  target?: string
}

/** Offers the history to the search dialog, too. Returns whether the user may read it. */
function useHistory(about: About): boolean {
  const mayRead = can(useMe(), 'audit:read')
  const navigate = useNavigate()
  const run = () => navigate({ to: '/audit', search: about })
  const history = { label: 'History', alias: 'Audit log events', isLink: true, Icon: IconHistory, run }
  useOfferActions(mayRead ? [history] : [])
  return mayRead
}

/** Link to the audit log of one organization, person or device. */
export function HistoryButton({ about }: { about: About }) {
  if (!useHistory(about)) return null
  return (
    <ButtonLink to="/audit" search={about} variant="default" leftSection={<IconHistory size={16} />}>
      History
    </ButtonLink>
  )
}

export function HistoryLink({ about }: { about: About }) {
  if (!useHistory(about)) return null
  return (
    <>
      {' · '}
      <TextLink to="/audit" search={about} size="sm" td="underline">
        History
      </TextLink>
    </>
  )
}
