import { Button, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconUserPlus } from '@tabler/icons-react'
import type { PeopleOwner } from '../../data/people.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { closeUnlessUnsaved } from '../../ui/confirm-leave.tsx'
import { InviteForm } from './invite-form.tsx'

interface Props {
  owner: PeopleOwner
  partnerName: string
  label?: string
}

export function InviteButton({ owner, partnerName, label = 'Invite person' }: Props) {
  const [isOpen, { open, close }] = useDisclosure()
  const me = useMe()
  // Otherwise the form asks for the tenant.
  const isSettled = me.scope === 'organization' || owner.orgId !== undefined
  if (!can(me, 'users:invite')) return null
  return (
    <>
      <Button variant="default" leftSection={<IconUserPlus size={16} />} onClick={open}>
        {label}
      </Button>
      <Modal
        opened={isOpen}
        onClose={closeUnlessUnsaved(close)}
        title={isSettled ? `Invite person to ${partnerName}` : label}
      >
        <InviteForm owner={owner} partnerName={partnerName} onDone={close} />
      </Modal>
    </>
  )
}
