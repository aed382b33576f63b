import { Button, Group } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { acceptInvitationMutation, declineInvitationMutation } from '../../data/invitations.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'

interface Props {
  invitation: { id: string; tenantName: string; isUsable: boolean }
  /** From the mailed link. */
  token?: string
  onDone?: () => void
}

/** Accepts or declines an invitation. Accepting does not switch to the new tenant. */
export function InvitationReply({ invitation, token, onDone }: Props) {
  const { id, tenantName, isUsable } = invitation
  const accepting = useMutation({
    ...acceptInvitationMutation,
    onSuccess: async () => {
      await acceptInvitationMutation.onSuccess()
      notifyDone(`You’ve joined ${tenantName}. Switch to it in the account menu.`)
      onDone?.()
    },
    onError: notifyFailed('The invitation wasn’t accepted'),
  })
  const declining = useMutation({
    ...declineInvitationMutation,
    onSuccess: async () => {
      await declineInvitationMutation.onSuccess()
      notifyDone(`You declined the invitation to ${tenantName}.`)
      onDone?.()
    },
    onError: notifyFailed('The invitation wasn’t declined'),
  })
  const isBusy = accepting.isPending || declining.isPending
  return (
    <Group gap="xs">
      <Button
        size="xs"
        disabled={!isUsable || isBusy}
        loading={accepting.isPending}
        onClick={() => accepting.mutate({ id, ...(token && { token }) })}
      >
        Accept
      </Button>
      <Button
        size="xs"
        variant="default"
        disabled={isBusy}
        loading={declining.isPending}
        onClick={() => declining.mutate({ id, ...(token && { token }) })}
      >
        Decline
      </Button>
    </Group>
  )
}
