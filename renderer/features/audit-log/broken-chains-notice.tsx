import { Alert } from '@mantine/core'
import { IconShieldExclamation } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { chainsQuery } from '../../data/audit-chains.ts'
import { TextLink } from '../../ui/links.tsx'
import { brokenChainsText } from './fault-labels.ts'

/** Warns readers of the log that not all events can be relied on. */
export function BrokenChainsNotice() {
  const summary = useQuery(chainsQuery()).data?.summary
  if (!summary || summary.broken === 0) return null
  return (
    <Alert variant="light" color="red" mb="md" icon={<IconShieldExclamation />} title={brokenChainsText(summary)}>
      Events were changed, removed or added outside of Homeport.{' '}
      <TextLink
        from="/audit"
        to="/audit"
        search={(old) => ({ ...old, tab: 'chains' })}
        inherit
        c="inherit"
        td="underline"
      >
        Show details
      </TextLink>
    </Alert>
  )
}
