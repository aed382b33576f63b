import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import type { inviteUser, resendInvite } from '../../../shared/api/people.ts'
import type { ReplyOf } from '../../../shared/endpoint.ts'
import { notifyDone } from '../../lib/notify.ts'
import { CommandLine } from '../../ui/command-line.tsx'

type Delivery = Pick<ReplyOf<typeof resendInvite>, 'inviteEmailSent' | 'inviteUrl' | 'warning'>
type Invited = Pick<ReplyOf<typeof inviteUser>, 'name' | 'email'>

/** Says how an invitation was sent; if it could not be, what to do. */
export function showInvitationSent({ name, email, inviteEmailSent, inviteUrl, warning }: Invited & Delivery) {
  if (inviteEmailSent) return notifyDone(`The invitation for ${email} is on its way`)
  modals.open({
    modalId: 'invited',
    title: `${name} is invited`,
    // A stray click must not lose the link.
    closeOnClickOutside: !inviteUrl,
    closeOnEscape: !inviteUrl,
    withCloseButton: !inviteUrl,
    children: (
      <Stack>
        <Alert color="yellow" variant="light" p="sm">
          {warning}
        </Alert>
        {inviteUrl && (
          <>
            <Text size="sm">
              The link is good for 7 days and works once. Send it in a way that only {name} reads; it is not shown
              again.
            </Text>
            <CommandLine label="Link of the invitation" text={inviteUrl} copyLabel="Copy the link" />
          </>
        )}
        <Group justify="flex-end">
          <Button onClick={() => modals.close('invited')}>{inviteUrl ? 'I have copied it' : 'Understood'}</Button>
        </Group>
      </Stack>
    ),
  })
}
