import { Button, Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Role } from '../../data/roles.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { closeUnlessUnsaved } from '../../ui/confirm-leave.tsx'
import { CreateForm } from './create-form.tsx'
import { DeleteRole } from './delete-role.tsx'

export function RoleActions({ role, roles }: { role: Role; roles: readonly Role[] }) {
  const me = useMe()
  const [isCopying, { open, close }] = useDisclosure()
  return (
    <>
      {can(me, 'users:write') && (
        <Button variant="default" onClick={open}>
          Copy…
        </Button>
      )}
      {can(me, 'users:delete') && !role.isSystem && <DeleteRole role={role} roles={roles} />}
      <Modal opened={isCopying} onClose={closeUnlessUnsaved(close)} title={`Copy ${role.name}`}>
        <CreateForm source={role} />
      </Modal>
    </>
  )
}
