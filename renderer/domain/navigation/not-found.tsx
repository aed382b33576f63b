import { EmptyState } from '@mantine/core'
import { IconMapQuestion } from '@tabler/icons-react'
import { useMe } from '../../lib/session.ts'
import { useTabTitle } from '../../lib/use-tab-title.ts'
import { ButtonLink } from '../../ui/links.tsx'
import { homePageFor } from './pages.ts'

export function NotFound() {
  useTabTitle('Page not found')
  const home = homePageFor(useMe())
  return (
    <EmptyState
      py={96}
      icon={<IconMapQuestion stroke={1.5} />}
      title="Page not found"
      description="It may have been moved or deleted."
    >
      <EmptyState.Actions>
        <ButtonLink to={home.to} variant="default">
          Go to {home.label}
        </ButtonLink>
      </EmptyState.Actions>
    </EmptyState>
  )
}
