import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type Member, removeMember } from '../../data/people.ts'
import { ExplainPermission } from '../../domain/roles/explain-permission.tsx'
import { RoleLink } from '../../domain/roles/role-link.tsx'
import { notifyDone } from '../../lib/notify.ts'
import { can } from '../../lib/permissions.ts'
import { useMe } from '../../lib/session.ts'
import { askToConfirm } from '../../ui/confirm.tsx'
import { closeUnlessUnsaved } from '../../ui/confirm-leave.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Panel } from '../../ui/panel.tsx'
import { reachDetails } from './reach-labels.ts'
import { RoleForm } from './role-form.tsx'
import { useReachNames } from './use-reach-names.ts'

interface Props {
  member: Member
  partnerName: string
  /** For platform administrators: the partner of the role; undefined while loading. */
  partnerId: string | undefined
  isSelf: boolean
  /** The person has no other membership that the user can see. */
  isOnly: boolean
}

/** Membership of a person in one tenant: role and reach. */
export function MembershipPanel({ member, partnerName, partnerId, isSelf, isOnly }: Props) {
  const { person } = member
  const me = useMe()
  const nameOf = useReachNames(person)
  const tenantName = person.orgName ?? partnerName
  const role = { id: person.roleId, orgId: person.orgId ?? null, viewedPartnerId: partnerId }
  const isOpen = me.scope !== 'system' || partnerId !== undefined
  const mayChange = can(me, 'users:write') && !isSelf
  const mayRemove = can(me, 'users:delete') && !isSelf
  return (
    <Panel title={tenantName}>
      <Stack gap="sm">
        <Facts>
          <Fact name="Role">{isOpen ? <RoleLink role={{ ...role, name: person.roleName }} /> : person.roleName}</Fact>
          <Fact name="Access">
            {reachDetails(person, nameOf).map((line) => (
              <div key={line}>{line}</div>
            ))}
          </Fact>
        </Facts>
        {isOpen && <ExplainPermission role={role} who={person.name} />}
        {isSelf && (
          <Text size="sm" c="dimmed">
            Someone else has to change your own role and access.
          </Text>
        )}
        {(mayChange || mayRemove) && (
          <Group gap="xs">
            {mayChange && <ChangeButton member={member} tenantName={tenantName} />}
            {mayRemove && <RemoveButton member={member} tenantName={tenantName} isOnly={isOnly} />}
          </Group>
        )}
      </Stack>
    </Panel>
  )
}

interface ActionProps {
  member: Member
  tenantName: string
}

function ChangeButton({ member, tenantName }: ActionProps) {
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        Change role and access…
      </Button>
      <Modal opened={isOpen} onClose={closeUnlessUnsaved(close)} title={`${member.person.name} at ${tenantName}`}>
        <RoleForm member={member} onDone={close} />
      </Modal>
    </>
  )
}

function RemoveButton({ member, tenantName, isOnly }: ActionProps & { isOnly: boolean }) {
  const { person, owner } = member
  const navigate = useNavigate()
  const remove = useMutation(removeMember)
  const leave = () =>
    owner.partnerId
      ? navigate({ to: '/companies/$partnerId', params: { partnerId: owner.partnerId } })
      : owner.orgId
        ? navigate({ to: '/organizations/$orgId', params: { orgId: owner.orgId }, search: { tab: 'people' } })
        : navigate({ to: '/settings/people' })
  const ask = async () => {
    const isRemoved = await askToConfirm({
      title: `Remove ${person.name} from ${tenantName}?`,
      consequences: [
        `They lose access to ${tenantName} immediately; their sessions there end.`,
        'API keys they created here stop working.',
        'Their account and other memberships stay. Without another membership they can’t sign in. You can invite them again.',
      ],
      confirm: 'Remove',
      run: () => remove.mutateAsync(member),
      failed: `${person.name} wasn’t removed`,
    })
    if (!isRemoved) return
    notifyDone(`${person.name} was removed from ${tenantName}`)
    if (isOnly) void leave()
  }
  return (
    <Button size="xs" variant="default" color="red" loading={remove.isPending} onClick={ask}>
      Remove…
    </Button>
  )
}
