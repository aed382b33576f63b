import { MultiSelect, TagsInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { maxTags } from '../../../../shared/api/devices.ts'
import { tagDevices } from '../../../data/several-devices.ts'
import { plural } from '../../../lib/format.ts'
import { useFormSubmission } from '../../../lib/use-form-submission.ts'
import { DialogForm } from '../../../ui/dialog-form.tsx'
import { idsOf, outcomeOf, type SeveralFormProps } from './outcome.ts'

/** Adds and removes tags; the others of each device stay. */
export function TagForm({ devices, onDone }: SeveralFormProps) {
  const present = [...new Set(devices.flatMap(({ tags }) => tags))].sort()
  const form = useForm<{ add: string[]; remove: string[] }>({
    initialValues: { add: [], remove: [] },
    validate: {
      add: (add, { remove }) => (add.length + remove.length > 0 ? null : 'Enter a tag'),
    },
  })
  const saving = useFormSubmission(form, {
    mutationFn: (values) => tagDevices.mutationFn({ deviceIds: idsOf(devices), ...values }),
    onSuccess: ({ changed, ...refused }) => {
      const text = `The tags of ${plural(changed.length, 'device')} were changed.`
      onDone(outcomeOf(changed.length, 'Tags changed', text, refused))
      return tagDevices.onSuccess()
    },
  })
  return (
    <DialogForm saving={saving} action="Change tags">
      <TagsInput
        label="Add"
        description="The devices keep their other tags."
        placeholder="Type a tag, press Enter"
        maxTags={maxTags}
        maxLength={100}
        data={present}
        acceptValueOnBlur
        {...form.getInputProps('add')}
      />
      {present.length > 0 && (
        <MultiSelect
          label="Remove"
          placeholder={form.values.remove.length === 0 ? 'Choose tags' : ''}
          searchable
          limit={100}
          data={present}
          {...form.getInputProps('remove')}
        />
      )}
    </DialogForm>
  )
}
