import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Me } from '../../../shared/api/profile.ts'
import type { MailDelivery } from '../../../shared/api/registration.ts'
import { invitationsQuery } from '../../data/invitations.ts'
import { resendVerificationMail } from '../../data/registration.ts'
import { useMailDelivery } from '../../domain/messaging/use-mail-delivery.ts'
import { ApiError } from '../../lib/api-error.ts'
import { messageFor } from '../../lib/error-messages.ts'
import { dateOnly } from '../../lib/format.ts'
import { queryClient } from '../../lib/query-client.ts'
import { meQuery } from '../../lib/session.ts'
import { useCountdown } from '../../lib/use-countdown.ts'
import { ButtonLink } from '../../ui/links.tsx'

/** What the account still requires of its user, above every page. */
export function AccountNotices({ me }: { me: Me }) {
  const { status, deadline } = me.mfaEnrollment
  const isFactorDue = status === 'active' && deadline !== null
  // Without a password the user signs in through an identity provider, so the address needs no verification.
  const isAddressDue = !me.emailVerified && me.hasPassword
  const [invitation] = useQuery(invitationsQuery).data ?? []
  if (!isFactorDue && !isAddressDue && !invitation) return null
  return (
    <Stack gap="xs" mb="lg">
      {invitation && (
        <Notice
          text={`${invitation.inviterName} invited you to ${invitation.orgName ?? invitation.partnerName}.`}
          action={
            <ButtonLink to="/settings/profile" size="xs">
              View invitation
            </ButtonLink>
          }
        />
      )}
      {isFactorDue && (
        <Notice
          text={`${me.partnerName ?? 'This appliance'} requires a second factor. Set one up by ${dateOnly(deadline)}.`}
          action={
            <ButtonLink to="/auth/mfa/setup" size="xs">
              Set up
            </ButtonLink>
          }
        />
      )}
      {isAddressDue && <UnverifiedAddress email={me.email} />}
    </Stack>
  )
}

function UnverifiedAddress({ email }: { email: string }) {
  const wait = useCountdown()
  const resend = useMutation({
    ...resendVerificationMail,
    onSuccess: () => wait.start(60),
    onError: (error) => {
      wait.startAfter(error)
      const isVerified = error instanceof ApiError && error.code === 'already_verified'
      if (isVerified) void queryClient.invalidateQueries({ queryKey: meQuery.queryKey })
    },
  })
  const delivery = useMailDelivery()
  const { before, after } = addressTexts[delivery]
  const text = resend.isSuccess
    ? `${after(email)} Follow it to confirm the address.`
    : `Confirm that ${email} is yours. ${before}`
  return (
    <Notice
      text={resend.error ? messageFor(resend.error) : text}
      action={
        delivery !== 'none' && (
          <Button
            size="xs"
            variant="default"
            loading={resend.isPending}
            disabled={wait.seconds > 0}
            onClick={() => resend.mutate()}
          >
            {delivery === 'server' ? (resend.isSuccess ? 'Send again' : 'Send link') : 'Request link'}
            {wait.seconds > 0 && !resend.error && ` in ${wait.seconds} s`}
          </Button>
        )
      }
    />
  )
}

const addressTexts: Record<MailDelivery, { before: string; after: (email: string) => string }> = {
  server: { before: 'We’ll send you a link.', after: (email) => `We sent a link to ${email}.` },
  file: {
    before: 'The link is written to a file on the appliance, because email isn’t sent.',
    after: () => 'The link was written to a file on the appliance. Ask your administrator for it.',
  },
  none: { before: 'That takes a link, and this appliance can’t send email yet.', after: () => '' },
}

function Notice({ text, action }: { text: string; action: ReactNode }) {
  return (
    <Alert color="yellow" variant="light" p="xs" px="md">
      <Group justify="space-between" gap="sm">
        <Text size="sm" role="status">
          {text}
        </Text>
        {action}
      </Group>
    </Alert>
  )
}
