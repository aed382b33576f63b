import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import type { inviteUser, resendInvite } from '../../../shared/api/people.ts'
import type { ReplyOf } from '../../../shared/endpoint.ts'
import { LinkNotice } from '../../domain/system/link-notice.tsx'
import { linkToHandOver } from '../../domain/system/link-warning.ts'
import { notifyDone } from '../../lib/notify.ts'
import { CommandLine } from '../../ui/command-line.tsx'
import { ShareButton } from '../../ui/share-button.tsx'

type Delivery = Pick<ReplyOf<typeof resendInvite>, 'inviteEmailSent' | 'inviteUrl' | 'warning'>
type Invited = Pick<ReplyOf<typeof inviteUser>, 'name' | 'email'>

/** Says that an invitation was sent; where no mail is sent, what to do. */
export function showInvitationSent({ name, email, inviteEmailSent, inviteUrl, warning }: Invited & Delivery) {
  if (inviteEmailSent) return notifyDone(`Invitation sent to ${email}`)
  const link = inviteUrl && linkToHandOver(inviteUrl)
  const onCopied = () => modals.updateModal({ modalId: 'invited', closeOnEscape: true })
  modals.open({
    modalId: 'invited',
    title: `${name} was invited`,
    // A stray click must not lose the link.
    closeOnClickOutside: !link,
    closeOnEscape: !link,
    withCloseButton: !link,
    children: (
      <Stack>
        <Alert color="yellow" variant="light" p="sm">
          {warning}
        </Alert>
        {link && (
          <>
            <Text size="sm">
              The link works once and expires in 7 days. Share it privately with {name}. It won’t be shown again.
            </Text>
            <LinkNotice link={link} />
            <CommandLine label="Invitation link" text={link} copyLabel="Copy link" onCopied={onCopied} isFirst />
          </>
        )}
        <Group justify="flex-end">
          {link && <ShareButton link={link} onShared={onCopied} />}
          <Button onClick={() => modals.close('invited')}>Done</Button>
        </Group>
      </Stack>
    ),
  })
}
