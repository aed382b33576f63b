import { Button, Group, Input, SegmentedControl, Select, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { DeviceGroup } from '../../../shared/api/device-groups.ts'
import { filterConditions } from '../../../shared/device-filter.ts'
import { type GroupInput, saveGroup } from '../../data/device-groups.ts'
import { DevicePicker } from '../../domain/devices/device-picker.tsx'
import { fieldErrorsOf } from '../../lib/error-messages.ts'
import { useUnsavedChanges } from '../../lib/unsaved-changes.ts'
import { FormError } from '../../ui/form-error.tsx'
import { groupsInTreeOrder, subtreeIds } from './group-tree.ts'
import { RuleBuilder } from './rule-builder.tsx'
import { draftFrom, newRule, ruleOfDraft, sizeOf, validateRule } from './rule-draft.ts'
import { RulePreview } from './rule-preview.tsx'
import type { NamedOption } from './value-field.tsx'

interface Props {
  orgId: string
  sites: readonly NamedOption[]
  groups: readonly DeviceGroup[]
  /** Undefined to create one. */
  group?: DeviceGroup
  onDone: (group: DeviceGroup) => void
}

const typeWords = { static: 'Added manually', dynamic: 'Matched by a rule' }
const noProblems: ReadonlyMap<string, string> = new Map()

export function GroupForm({ orgId, sites, groups, group, onDone }: Props) {
  const form = useForm({
    initialValues: {
      name: group?.name ?? '',
      type: group?.type ?? 'static',
      siteId: group?.siteId ?? '',
      parentId: group?.parentId ?? '',
    },
    validate: { name: (name) => (name.trim() ? null : 'Enter a name') },
  })
  const [deviceIds, setDeviceIds] = useState<string[]>([])
  const [first] = useState(() => draftOf(group))
  const [draft, setDraft] = useState(first)
  const [isTried, setTried] = useState(false)
  const { type } = form.values
  const siteId = form.values.siteId || null
  const isDynamic = type === 'dynamic'
  const { rule, problems } = validateRule(draft)
  const isRuleChanged = JSON.stringify(ruleOfDraft(draft)) !== JSON.stringify(ruleOfDraft(first))
  useUnsavedChanges(form.isDirty() || deviceIds.length > 0 || isRuleChanged)
  const { mutationFn, onSuccess } = saveGroup(orgId, group?.id)
  const save = useMutation({
    mutationFn,
    onSuccess: async ({ data }) => {
      onDone(data)
      await onSuccess()
    },
    onError: (error) => form.setErrors(fieldErrorsOf(error)),
  })
  const submit = ({ name, parentId }: typeof form.values) => {
    setTried(true)
    if (isDynamic && !rule) return
    const location = { siteId, parentId: parentId || null }
    const conditions = rule as unknown as GroupInput['filterConditions']
    save.mutate({ name, type, ...location, ...(isDynamic ? { filterConditions: conditions } : { deviceIds }) })
  }
  return (
    <form onSubmit={form.onSubmit(submit, () => setTried(true))} noValidate>
      <Stack>
        <FormError error={save.error} />
        <TextInput label="Name" data-autofocus maxLength={255} {...form.getInputProps('name')} />
        <LocationFields sites={sites} groups={groups} group={group} form={form} />
        {!group && (
          <Input.Wrapper label="Devices are" labelElement="div">
            <SegmentedControl
              fullWidth
              aria-label="Devices are"
              data={Object.entries(typeWords).map(([value, label]) => ({ value, label }))}
              {...form.getInputProps('type')}
            />
          </Input.Wrapper>
        )}
        {!group && !isDynamic && (
          <DevicePicker label="Devices" orgId={orgId} siteId={siteId} value={deviceIds} onChange={setDeviceIds} />
        )}
        {isDynamic && (
          <>
            <RuleBuilder
              draft={draft}
              sites={sites}
              // Rule groups may not refer to each other, since their members could change without end.
              groups={groups.filter((one) => one.type === 'static')}
              problems={isTried ? problems : noProblems}
              onChange={(next) => {
                setDraft(next)
                // A new condition shows no error before the next try to save.
                if (sizeOf(next) > sizeOf(draft)) setTried(false)
              }}
            />
            <RulePreview orgId={orgId} siteId={siteId} rule={rule} />
          </>
        )}
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending}>
            {group ? 'Save' : 'Create'}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function draftOf(group: DeviceGroup | undefined) {
  const rule = filterConditions.safeParse(group?.filterConditions).data
  return rule ? draftFrom(rule) : newRule()
}

interface PlaceProps extends Pick<Props, 'sites' | 'groups'> {
  group: DeviceGroup | undefined
  form: { getInputProps: (field: 'siteId' | 'parentId') => object }
}

function LocationFields({ sites, groups, group, form }: PlaceProps) {
  const own = group ? subtreeIds(groups, group.id) : new Set<string>()
  const parents = groupsInTreeOrder(groups).filter(({ group: { id } }) => !own.has(id))
  const field = { flex: '1 1 200px', searchable: true, limit: 50, allowDeselect: false } as const
  return (
    <Group gap="sm" align="flex-start">
      <Select
        {...field}
        label="Site"
        description={group && 'Devices at other sites leave the group.'}
        data={[
          { value: '', label: 'Whole organization' },
          ...sites.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        {...form.getInputProps('siteId')}
      />
      {parents.length > 0 && (
        <Select
          {...field}
          label="Inside"
          description={group && 'For display only; the groups don’t share devices.'}
          data={[
            { value: '', label: 'No parent group' },
            ...parents.map(({ group: { id, name }, depth }) => ({
              value: id,
              label: `${'\u2003'.repeat(depth)}${name}`,
            })),
          ]}
          {...form.getInputProps('parentId')}
        />
      )}
    </Group>
  )
}
