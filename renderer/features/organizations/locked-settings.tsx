import { List, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { effectiveSettingsQuery } from '../../data/organizations.ts'
import { Panel } from '../../ui/panel.tsx'

const settingNames: Record<string, string> = {
  'security.ipAllowlist': 'Where people may sign in from',
  'security.allowedMfaMethods': 'Allowed second factors',
  'security.allowedMethods': 'Allowed second factors',
  'security.requireMfa': 'Whether a second factor is required',
  'security.mfaEnrollmentGraceDays': 'Grace period for setting up a second factor',
  'security.minLength': 'Minimum password length',
  'security.complexity': 'Password strength',
  'security.expirationDays': 'Password expiry',
  'security.sessionTimeout': 'Session length',
  'security.maxSessions': 'Number of simultaneous sessions',
}

/** Settings that the partner enforces for all its organizations. */
export function LockedSettings({ orgId }: { orgId: string }) {
  const { locked = [] } = useQuery(effectiveSettingsQuery(orgId)).data ?? {}
  const lines = [...new Set(locked.map((key) => settingNames[key] ?? key))]
  if (locked.length === 0) return null
  return (
    <Panel title="Set by your company">
      <Text size="sm" c="dimmed" mb="xs">
        These apply to all organizations. Change them on the company page.
      </Text>
      <List size="sm">
        {lines.map((line) => (
          <List.Item key={line}>{line}</List.Item>
        ))}
      </List>
    </Panel>
  )
}
