import { Divider, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { InvitationView } from '../../../shared/api/invitations.ts'
import { invitationsQuery } from '../../data/invitations.ts'
import { InvitationReply } from '../../domain/memberships/invitation-reply.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'

/** Pending invitations; absent if there are none. */
export function InvitationsPanel() {
  const invitations = useQuery(invitationsQuery).data ?? []
  if (invitations.length === 0) return null
  return (
    <Panel title="Invitations">
      <Stack gap="sm">
        {invitations.map((invitation, index) => (
          <Stack key={invitation.id} gap="xs">
            {index > 0 && <Divider />}
            <PendingInvitation invitation={invitation} />
          </Stack>
        ))}
        <Text size="sm" c="dimmed">
          Your account doesn’t change until you accept, and they can’t see anything about it.
        </Text>
      </Stack>
    </Panel>
  )
}

function PendingInvitation({ invitation }: { invitation: InvitationView }) {
  const { id, orgName, partnerName, roleName, inviterName, isUsable, needsLink, expiresAt } = invitation
  const tenantName = orgName ?? partnerName
  return (
    <Group justify="space-between" gap="sm" align="flex-start">
      <Stack gap={0} miw={0}>
        <Text size="sm" fw={600}>
          {tenantName}
        </Text>
        <Text size="sm">
          {inviterName} invited you as {roleName}
          {orgName !== null && ` (an organization of ${partnerName})`}.
        </Text>
        <Text size="xs" c="dimmed">
          {isUsable ? (
            <>
              Expires <RelativeTime at={expiresAt} />
            </>
          ) : (
            'Unavailable'
          )}
        </Text>
      </Stack>
      {needsLink ? (
        <Text size="sm">Open the link in the invitation to accept it.</Text>
      ) : (
        <InvitationReply invitation={{ id, tenantName, isUsable }} />
      )}
    </Group>
  )
}
