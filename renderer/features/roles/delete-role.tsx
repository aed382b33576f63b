import { Button, List, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { deleteRoleMutation, type Role, roleHoldersQuery } from '../../data/roles.ts'
import { holderPage, holdersPage, rolesPage } from '../../domain/roles/role-pages.ts'
import { plural } from '../../lib/format.ts'
import { notifyDone } from '../../lib/notify.ts'
import { ConfirmForm } from '../../ui/confirm-form.tsx'
import { TextLink } from '../../ui/links.tsx'
import { Listed } from '../../ui/loaded.tsx'
import { RoleList } from './holders.tsx'

interface Props {
  role: Role
  roles: readonly Role[]
}

/** Confirms and deletes; while people have the role, or something refers to it, says so instead. */
export function DeleteRole({ role, roles }: Props) {
  const [isOpen, { open, close }] = useDisclosure()
  const isBlocked = role.userCount > 0 || role.childRoleCount > 0 || role.ssoProviderCount > 0
  return (
    <>
      <Button variant="default" color="red" onClick={open}>
        Delete…
      </Button>
      <Modal
        opened={isOpen}
        onClose={close}
        title={isBlocked ? `${role.name} can’t be deleted yet` : `Delete ${role.name}?`}
      >
        {isBlocked ? <Blockers role={role} roles={roles} /> : <Question role={role} onKeep={close} />}
      </Modal>
    </>
  )
}

/** More are behind the link. */
const maxListed = 10

function Blockers({ role, roles }: Props) {
  const holders = useQuery(roleHoldersQuery(role))
  const heirs = roles.filter(({ parentRoleId }) => parentRoleId === role.id)
  return (
    <Stack gap="sm">
      {role.userCount > 0 && (
        <div>
          <Text size="sm">{plural(role.userCount, 'person has', 'people have')} this role. Give them another one:</Text>
          <Listed of={holders} lines={2} empty="None of them is in your company.">
            {(people) => (
              <List size="sm" mt={4}>
                {people.slice(0, maxListed).map(({ id, name }) => (
                  <List.Item key={id}>
                    <TextLink {...holderPage(role, id)} size="sm">
                      {name}
                    </TextLink>
                  </List.Item>
                ))}
                {people.length > maxListed && (
                  <List.Item>
                    <TextLink {...holdersPage(role)} size="sm">
                      {people.length - maxListed} more
                    </TextLink>
                  </List.Item>
                )}
              </List>
            )}
          </Listed>
        </div>
      )}
      {heirs.length > 0 && (
        <div>
          <Text size="sm">
            {plural(heirs.length, 'role inherits', 'roles inherit')} from it. Let {heirs.length === 1 ? 'it' : 'them'}{' '}
            inherit from another, or from none:
          </Text>
          <RoleList roles={heirs} />
        </div>
      )}
      {role.ssoProviderCount > 0 && (
        <Text size="sm">
          {plural(role.ssoProviderCount, 'identity provider gives', 'identity providers give')} it to new people. Choose
          another role in their settings, under Single sign-on.
        </Text>
      )}
    </Stack>
  )
}

function Question({ role, onKeep }: { role: Role; onKeep: () => void }) {
  const navigate = useNavigate()
  const removal = useMutation({
    mutationFn: deleteRoleMutation.mutationFn,
    onSuccess: async () => {
      await navigate({ ...rolesPage(role.viewedPartnerId), ignoreBlocker: true })
      notifyDone(`${role.name} was deleted`)
      await deleteRoleMutation.onSuccess()
    },
  })
  return (
    <ConfirmForm
      consequences="Nobody has this role, and no other role inherits from it. This can’t be undone."
      confirm="Delete role"
      isPending={removal.isPending}
      error={removal.error}
      onConfirm={() => removal.mutate(role)}
      onCancel={onKeep}
    />
  )
}
