import { IconHistory } from '@tabler/icons-react'
import type { LogFilters } from '../../data/audit-log.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { ButtonLink, TextLink } from '../../ui/links.tsx'

interface About extends Pick<LogFilters, 'org' | 'q' | 'resource'> {
  /** The name of the object whose id is `resource`. */
  target?: string
}

/** Link to the audit log of one organization, person or device. */
export function HistoryButton({ about }: { about: About }) {
  if (!can(useMe(), 'audit:read')) return null
  return (
    <ButtonLink to="/audit" search={about} variant="default" leftSection={<IconHistory size={16} />}>
      History
    </ButtonLink>
  )
}

export function HistoryLink({ about }: { about: About }) {
  if (!can(useMe(), 'audit:read')) return null
  return (
    <>
      {' · '}
      <TextLink to="/audit" search={about} size="sm" td="underline">
        History
      </TextLink>
    </>
  )
}
