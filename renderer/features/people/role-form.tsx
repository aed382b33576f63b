import { Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { changeRole, type Member } from '../../data/people.ts'
import { notifyDone } from '../../lib/notify.ts'
import { useFormSubmission } from '../../lib/use-form-submission.ts'
import { DialogForm } from '../../ui/dialog-form.tsx'
import { ReachFields, reachBody, reachOf, reachRules } from './reach-fields.tsx'
import { RoleSelect } from './role-select.tsx'
import { useOwnReach } from './use-own-reach.ts'

/** Changes the role and reach of a member. */
export function RoleForm({ member, onDone }: { member: Member; onDone: () => void }) {
  const { person, owner } = member
  const form = useForm({
    initialValues: { roleId: person.roleId, ...reachOf(person) },
    validate: reachRules,
  })
  const own = useOwnReach(owner)
  const { mutationFn, onSuccess } = changeRole(member)
  const saving = useFormSubmission(form, {
    // Omitted fields stay: they may grant more than the user could.
    mutationFn: ({ roleId, ...reach }) =>
      mutationFn({ roleId, ...(Object.keys(reach).some((field) => form.isDirty(field)) && reachBody(reach)) }),
    onSuccess: async () => {
      onDone()
      notifyDone(`${person.name}: role and access saved`)
      await onSuccess()
    },
  })
  return (
    <DialogForm saving={saving} action="Save">
      <RoleSelect
        tenant={person.orgId ? { orgId: person.orgId } : { partnerId: owner.partnerId }}
        {...form.getInputProps('roleId')}
      />
      <ReachFields orgId={person.orgId} partnerId={owner.partnerId} form={form} own={own} />
      <Text size="sm" c="dimmed">
        Takes effect immediately, without signing in again.
      </Text>
    </DialogForm>
  )
}
