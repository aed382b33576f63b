import { Badge, Button, Group, Table, Text, VisuallyHidden } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { endOtherSessions, endSession, type OwnSession, sessionsQuery } from '../../data/profile.ts'
import { plural } from '../../lib/format.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'
import { describeUserAgent } from '../../lib/user-agent.ts'
import { askToConfirm } from '../../ui/confirm.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { TableFrame } from '../../ui/table-frame.tsx'

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
  const others = sessions.filter(({ isCurrent }) => !isCurrent).length
  const confirmOthers = async () => {
    let revoked = 0
    const isEnded = await askToConfirm({
      title: 'End all other sessions?',
      consequences: `You are signed out in ${plural(others, 'other place')}, at once. This session goes on.`,
      confirm: 'End the others',
      cancel: 'Leave them',
      run: async () => {
        revoked = (await endOthers.mutateAsync()).revoked
      },
      failed: 'The sessions were not ended',
    })
    if (isEnded) notifyDone(`${plural(revoked, 'session')} ended`)
  }
  return (
    <>
      <Group justify="space-between" mb="sm">
        <Text size="sm" c="dimmed" flex="1 1 300px">
          Where you are signed in. End what you do not recognise, and change your password then. Signing out, in the
          menu of your account, ends all of these at once.
        </Text>
        <Button
          variant="default"
          size="xs"
          disabled={others === 0}
          loading={endOthers.isPending}
          onClick={confirmOthers}
        >
          End all other sessions
        </Button>
      </Group>
      <TableFrame label="Your sessions">
        <Table tabularNums miw={{ sm: 640 }}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Browser</Table.Th>
              <Table.Th>Address</Table.Th>
              <Table.Th>Second factor</Table.Th>
              <Table.Th>Signed in</Table.Th>
              <Table.Th>Last used</Table.Th>
              <Table.Th w={110}>
                <VisuallyHidden>Actions</VisuallyHidden>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {sessions.map((session) => (
              <SessionRow key={session.id} session={session} />
            ))}
          </Table.Tbody>
        </Table>
      </TableFrame>
    </>
  )
}

function SessionRow({ session }: { session: OwnSession }) {
  const end = useMutation(endSession)
  const browser = session.userAgent ? (describeUserAgent(session.userAgent) ?? session.userAgent) : 'Unknown'
  return (
    <Table.Tr>
      <Table.Td miw={150} title={session.userAgent ?? undefined}>
        <Group gap="xs">
          <Text size="sm" fw={500} lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
            {browser}
          </Text>
          {session.isCurrent && (
            <Badge variant="light" size="sm">
              This session
            </Badge>
          )}
        </Group>
      </Table.Td>
      <Table.Td data-label="Address" className="nums">
        {session.ipAddress}
      </Table.Td>
      <Table.Td data-label="Second factor">{session.mfaSource ? factors[session.mfaSource] : 'Not used'}</Table.Td>
      <Table.Td data-label="Signed in">
        <RelativeTime at={session.createdAt} />
      </Table.Td>
      <Table.Td data-label="Last used">
        <RelativeTime at={session.lastUsedAt} />
      </Table.Td>
      <Table.Td data-actions>
        {!session.isCurrent && (
          <Button
            size="xs"
            variant="default"
            loading={end.isPending}
            aria-label={`End the session of ${browser}`}
            onClick={() =>
              end.mutate(session.id, {
                onSuccess: () => notifyDone('The session is ended'),
                onError: notifyFailed('The session was not ended'),
              })
            }
          >
            End
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  )
}
