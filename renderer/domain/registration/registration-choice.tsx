import { Radio, Stack } from '@mantine/core'

interface Props {
  isOpen: boolean
  onChange: (isOpen: boolean) => void
}

/** Whether strangers may register a company of their own. */
export function RegistrationChoice({ isOpen, onChange }: Props) {
  return (
    <Radio.Group
      label="Can others register companies on this appliance?"
      value={isOpen ? 'yes' : 'no'}
      onChange={(value) => onChange(value === 'yes')}
    >
      <Stack gap="xs" mt={6}>
        <Radio value="no" label="No, only people I invite" />
        <Radio
          value="yes"
          label="Yes, anyone who can open the sign-in page"
          description="They’d be separate companies and couldn’t see yours."
        />
      </Stack>
    </Radio.Group>
  )
}
