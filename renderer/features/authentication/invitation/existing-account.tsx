import { Button, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { type InvitationPreview, invitationsQuery } from '../../../data/invitations.ts'
import { StandalonePage } from '../../../domain/login-branding/standalone-page.tsx'
import { InvitationReply } from '../../../domain/memberships/invitation-reply.tsx'
import { api } from '../../../lib/api.ts'
import { canUsePasskeys } from '../../../lib/passkeys.ts'
import { queryClient } from '../../../lib/query-client.ts'
import { type Challenge, publicConfigQuery, signedInUserQuery } from '../../../lib/session.ts'
import { ChallengeForm } from '../sign-in/challenge-form.tsx'
import { SignInForm } from '../sign-in/sign-in-form.tsx'
import { invitingTenant } from './invitation-preview.ts'

interface Props {
  token: string
  invitation: InvitationPreview
}

/** The invited address has an account: its owner signs in if necessary, and accepts or declines. */
export function ExistingAccount({ token, invitation }: Props) {
  const navigate = useNavigate()
  const config = useQuery(publicConfigQuery).data
  const { data: visitor } = useQuery(signedInUserQuery)
  const [challenge, setChallenge] = useState<Challenge | null>(null)
  const id = invitation.invitationId ?? ''
  // The address of the account may have changed since the invitation.
  const { data: offers = [] } = useQuery({ ...invitationsQuery, enabled: Boolean(visitor) })
  const isTheirs = visitor?.email === invitation.email || offers.some((one) => one.id === id)
  const tenantName = invitingTenant(invitation)
  const title = `You’re invited to ${tenantName}`
  const enter = async () => {
    const waiting = await queryClient.fetchQuery(invitationsQuery)
    // Users without another membership have accepted by signing in.
    if (!waiting.some((one) => one.id === id)) return navigate({ to: '/' })
    queryClient.setQueryData(signedInUserQuery.queryKey, api.owner())
    setChallenge(null)
  }
  if (visitor && isTheirs)
    return (
      <StandalonePage title={title}>
        <Stack>
          <Text size="sm">
            You’re signed in as {visitor.email}. If you accept, you can work at {tenantName}as well; nothing else about
            your account changes.
          </Text>
          <InvitationReply
            invitation={{ id, tenantName, isUsable: true }}
            token={token}
            onDone={() => void navigate({ to: '/' })}
          />
        </Stack>
      </StandalonePage>
    )
  if (challenge)
    return (
      <StandalonePage title="Confirm it’s you">
        <ChallengeForm
          challenge={challenge}
          onDone={() => void enter()}
          onBack={() => setChallenge(null)}
          onExpired={() => setChallenge(null)}
        />
      </StandalonePage>
    )
  return (
    <StandalonePage title={title} about={`Sign in as ${invitation.email} to accept or decline.`}>
      <Stack>
        {visitor && (
          <Text size="sm">
            You’re signed in as {visitor.email}in this browser. Signing in as {invitation.email} replaces that session.
          </Text>
        )}
        <SignInForm
          knownEmail={invitation.email}
          inviteToken={token}
          hasPasskeys={Boolean(config?.passkeys.available) && canUsePasskeys()}
          onDone={() => void enter()}
          onChallenge={setChallenge}
        />
        {visitor && (
          <Button variant="default" onClick={() => void navigate({ to: '/' })}>
            Stay signed in as you are
          </Button>
        )}
      </Stack>
    </StandalonePage>
  )
}
