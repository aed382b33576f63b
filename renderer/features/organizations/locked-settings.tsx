import { List, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { effectiveSettingsQuery } from '../../data/organizations.ts'
import { Panel } from '../../ui/panel.tsx'

const settingNames: Record<string, string> = {
  'security.ipAllowlist': 'From where people may sign in',
  'security.allowedMfaMethods': 'Which second factors are accepted',
  'security.allowedMethods': 'Which second factors are accepted',
  'security.requireMfa': 'Whether a second factor is required',
  'security.mfaEnrollmentGraceDays': 'How long people have to set up a second factor',
  'security.minLength': 'How long passwords have to be',
  'security.complexity': 'How strong passwords have to be',
  'security.expirationDays': 'How long passwords last',
  'security.sessionTimeout': 'How long people stay signed in',
  'security.maxSessions': 'How often one can be signed in at a time',
}

/** Settings that the partner enforces for all its organizations. */
export function LockedSettings({ orgId }: { orgId: string }) {
  const { locked = [] } = useQuery(effectiveSettingsQuery(orgId)).data ?? {}
  const lines = [...new Set(locked.map((key) => settingNames[key] ?? key))]
  if (locked.length === 0) return null
  return (
    <Panel title="Settled by your company">
      <Text size="sm" c="dimmed" mb="xs">
        These hold for all organizations, and are changed on the page of the company.
      </Text>
      <List size="sm">
        {lines.map((line) => (
          <List.Item key={line}>{line}</List.Item>
        ))}
      </List>
    </Panel>
  )
}
