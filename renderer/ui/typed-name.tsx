import { Text, TextInput } from '@mantine/core'

interface Props {
  name: string
  value: string
  onChange: (value: string) => void
}

/** For what cannot be undone: the name has to be typed. */
export function TypedName({ name, value, onChange }: Props) {
  return (
    <TextInput
      data-autofocus
      label={
        <>
          Type{' '}
          <Text span inherit fw={600} style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>{' '}
          to confirm
        </>
      }
      labelProps={{ fw: 400 }}
      autoComplete="off"
      spellCheck={false}
      maxLength={255}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
