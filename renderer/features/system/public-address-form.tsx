import { Autocomplete, Button, List } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { isLoopback } from '../../../shared/host-names.ts'
import { type ConnectionInfo, changePublicAddress } from '../../data/system.ts'
import { notifyDone, notifyFailed } from '../../lib/notify.ts'
import { useFormSubmission } from '../../lib/use-form-submission.ts'
import { DialogForm } from '../../ui/dialog-form.tsx'

interface Props extends Pick<ConnectionInfo, 'addresses' | 'publicAddress'> {
  onDone: () => void
}

export function PublicAddressForm({ addresses, publicAddress, onDone }: Props) {
  const form = useForm({
    initialValues: { url: publicAddress.url },
    validate: {
      url: (url) => (/^https?:\/\/[^/\s]+\/?$/i.test(url.trim()) ? null : 'Enter an address without a path'),
    },
  })
  const saved = async () => {
    onDone()
    notifyDone('Public address changed')
    await changePublicAddress.onSuccess()
  }
  const saving = useFormSubmission(form, {
    mutationFn: ({ url }) => changePublicAddress.mutationFn(url),
    onSuccess: saved,
  })
  const reset = useMutation({
    mutationFn: () => changePublicAddress.mutationFn(null),
    onSuccess: saved,
    onError: notifyFailed('The public address wasn’t changed'),
  })
  const known = [location.origin, ...addresses.map(({ url }) => url)]
  return (
    <DialogForm
      saving={saving}
      action="Save"
      otherwise={
        publicAddress.source === 'stored' && (
          <Button variant="subtle" color="gray" loading={reset.isPending} onClick={() => reset.mutate()}>
            Choose automatically
          </Button>
        )
      }
    >
      <Autocomplete
        label="Address"
        description="Such as https://homeport.example.com:8443."
        data-autofocus
        openOnFocus={false}
        maxLength={300}
        autoComplete="off"
        // All of them, whatever is entered: they are alternatives to it.
        filter={({ options }) => options}
        data={[...new Set(known)].filter((url) => !isLoopback(new URL(url).hostname))}
        {...form.getInputProps('url')}
      />
      <List size="sm" spacing={4}>
        <List.Item>Links in email start with it, also those in email that waits.</List.Item>
        <List.Item>Identity providers send people back to it: register the new redirect address there first.</List.Item>
        <List.Item>Devices keep the address they enrolled with.</List.Item>
      </List>
    </DialogForm>
  )
}
