import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { UserRow } from '../../../shared/api/people.ts'
import { type Member, resendInvitation } from '../../data/people.ts'
import { notifyFailed } from '../../lib/notify.ts'
import { useNow } from '../../lib/now.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { TextLink } from '../../ui/links.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { AccountStatus } from './account-status.tsx'
import { FactorStatus } from './factor-status.tsx'
import { showInvitationSent } from './invitation-sent.tsx'
import { isInviteLinkExpired } from './invite-link-expiry.ts'
import { ResetFactors } from './reset-factors.tsx'

/** The account of a person, which is the same in all tenants. */
export function AccountPanel({ member, isSelf }: { member: Member; isSelf: boolean }) {
  const { person } = member
  const me = useMe()
  const isWaiting = person.status === 'invited'
  return (
    <Panel title="Account">
      <Stack gap="sm">
        <Facts>
          <Fact name="Status">
            <State person={person} />
          </Fact>
          <Fact name="Second factor">
            <FactorStatus person={person} />
          </Fact>
          <Fact name="Last sign-in">
            <RelativeTime at={person.lastLoginAt} never="Never" />
          </Fact>
        </Facts>
        {isWaiting && can(me, 'users:invite') && <InviteAgain member={member} />}
        {!isSelf && can(me, 'users:write') && (
          <Group gap="xs">
            {person.mfaEnabled && <ResetFactors member={member} />}
            {me.scope === 'system' && <AccountStatus member={member} />}
          </Group>
        )}
        {isSelf && (
          <TextLink to="/settings/profile" size="sm">
            Your profile
          </TextLink>
        )}
      </Stack>
    </Panel>
  )
}

function State({ person }: { person: UserRow }) {
  const { status, inviteExpiresAt } = person
  const now = useNow()
  if (status === 'active') return 'Active'
  if (status === 'disabled') return 'Disabled by the operator of this appliance'
  if (!inviteExpiresAt || isInviteLinkExpired(person, now)) return 'Invited; the link has expired'
  return (
    <>
      Invited; the link expires <RelativeTime at={inviteExpiresAt} />
    </>
  )
}

function InviteAgain({ member }: { member: Member }) {
  const { person } = member
  const resend = useMutation({
    ...resendInvitation,
    onSuccess: async (delivery) => {
      showInvitationSent({ ...person, ...delivery })
      await resendInvitation.onSuccess()
    },
    onError: notifyFailed('No new invitation was created'),
  })
  return (
    <Stack gap={4}>
      <Text size="sm" c="dimmed">
        A new link replaces the previous one.
      </Text>
      <div>
        <Button size="xs" variant="default" loading={resend.isPending} onClick={() => resend.mutate(member)}>
          Invite again
        </Button>
      </div>
    </Stack>
  )
}
