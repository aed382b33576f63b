import { Badge, Button, Group, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { endOtherSessions, endSession, type OwnSession, sessionsQuery } from '../../data/profile.ts'
import { useSignOut } from '../../domain/session/use-sign-out.ts'
import { plural } from '../../lib/format.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'
import { describeUserAgent } from '../../lib/user-agent.ts'
import { askToConfirm } from '../../ui/confirm.tsx'
import { buttonColumn, type Column } from '../../ui/data-table/column.tsx'
import { DataTable } from '../../ui/data-table/data-table.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'

const factors: Record<NonNullable<OwnSession['mfaSource']>, string> = {
  totp: 'Authenticator app',
  sms: 'Text message',
  passkey: 'Passkey',
  recovery: 'Recovery code',
  idp: 'Identity provider',
}

export function SessionsTab() {
  return (
    <Loaded of={useQuery(sessionsQuery)} lines={4}>
      {(sessions) => <Sessions sessions={sessions} />}
    </Loaded>
  )
}

function Sessions({ sessions }: { sessions: OwnSession[] }) {
  const endOthers = useMutation(endOtherSessions)
  const leave = useSignOut('everywhere')
  const others = sessions.filter(({ isCurrent }) => !isCurrent).length
  const confirmOthers = async () => {
    let revoked = 0
    const isEnded = await askToConfirm({
      title: 'End all other sessions?',
      consequences: `You’ll be signed out in ${plural(others, 'other place')} immediately. This session continues.`,
      confirm: 'End other sessions',
      run: async () => {
        revoked = (await endOthers.mutateAsync()).revoked
      },
      failed: 'The sessions weren’t ended',
    })
    if (isEnded) notifyDone(`${plural(revoked, 'session')} ended`)
  }
  return (
    <>
      <Group justify="space-between" mb="sm">
        <Text size="sm" c="dimmed" flex="1 1 300px">
          Where you’re signed in. If you don’t recognize a session, end it and change your password.
        </Text>
        <Group gap="xs">
          <Button
            variant="default"
            size="xs"
            disabled={others === 0}
            loading={endOthers.isPending}
            onClick={confirmOthers}
          >
            End all other sessions
          </Button>
          <Button variant="default" size="xs" loading={leave.isPending} onClick={() => leave.mutate()}>
            Sign out of all devices
          </Button>
        </Group>
      </Group>
      <DataTable label="Your sessions" rows={sessions} rowKey={({ id }) => id} columns={columns} minWidth={640} />
    </>
  )
}

const browserOf = ({ userAgent }: OwnSession): string =>
  userAgent ? (describeUserAgent(userAgent) ?? userAgent) : 'Unknown'

const columns: Column<OwnSession>[] = [
  {
    id: 'browser',
    title: 'Browser',
    wrap: 'anywhere',
    tooltip: ({ userAgent }) => userAgent ?? undefined,
    cell: (session) => <Browser session={session} />,
  },
  { id: 'address', title: 'Address', cell: ({ ipAddress }) => ipAddress },
  {
    id: 'second-factor',
    title: 'Second factor',
    cell: ({ mfaSource }) => (mfaSource ? factors[mfaSource] : 'Not used'),
  },
  { id: 'signed-in', title: 'Signed in', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
  { id: 'last-used', title: 'Last used', cell: ({ lastUsedAt }) => <RelativeTime at={lastUsedAt} /> },
  buttonColumn((session) => !session.isCurrent && <EndButton session={session} />),
]

function Browser({ session }: { session: OwnSession }) {
  return (
    <Group gap="xs">
      <Text size="sm" fw={500} lineClamp={2}>
        {browserOf(session)}
      </Text>
      {session.isCurrent && (
        <Badge variant="light" size="sm">
          This session
        </Badge>
      )}
    </Group>
  )
}

function EndButton({ session }: { session: OwnSession }) {
  const end = useMutation(endSession)
  return (
    <Button
      size="xs"
      variant="default"
      loading={end.isPending}
      aria-label={`End the session of ${browserOf(session)}`}
      onClick={() =>
        end.mutate(session.id, {
          onSuccess: () => notifyDone('Session ended'),
          onError: notifyFailed('The session wasn’t ended'),
        })
      }
    >
      End
    </Button>
  )
}
