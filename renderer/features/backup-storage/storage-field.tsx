import { Button, Group, Input, Text, Textarea, TextInput } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { PasswordField } from '../../ui/password-field.tsx'
import type { StorageField as Field } from './storage-fields.ts'

interface TypedProps {
  field: Field
  value: string
  error: ReactNode
  onChange: (text: string) => void
}

interface Props extends TypedProps {
  isStored: boolean
  isReplaced: boolean
  onReplace: (isReplaced: boolean) => void
}

/** One setting of a storage; a stored secret is only said to be there, until another one is wanted. */
export function StorageField({ isStored, isReplaced, onReplace, ...typed }: Props) {
  const { field, error } = typed
  const { label } = field
  if (isStored && !isReplaced)
    return (
      <Input.Wrapper label={label} labelElement="div" error={error}>
        <Group gap="sm">
          <Text size="sm" c="dimmed">
            Stored
          </Text>
          <Button variant="default" size="compact-sm" aria-label={`Replace ${label}`} onClick={() => onReplace(true)}>
            Replace
          </Button>
        </Group>
      </Input.Wrapper>
    )
  return (
    <div>
      <Typed {...typed} isFocused={isReplaced} />
      {isReplaced && (
        <Button variant="subtle" size="compact-xs" mt={4} onClick={() => onReplace(false)}>
          Keep the stored one
        </Button>
      )}
    </div>
  )
}

function Typed({ field, isFocused, onChange, ...state }: TypedProps & { isFocused: boolean }) {
  const { label, about, example, isSecret, isLong, isNumber } = field
  const short = useRef<HTMLInputElement>(null)
  const long = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (isFocused) (short.current ?? long.current)?.focus()
  }, [isFocused])
  const shared = { label, description: about, placeholder: example, spellCheck: false, ...state }
  if (isLong)
    return (
      <Textarea
        ref={long}
        autosize
        minRows={3}
        maxRows={8}
        autoComplete="off"
        onChange={(event) => onChange(event.currentTarget.value)}
        {...shared}
      />
    )
  const take = { onChange: (event: React.ChangeEvent<HTMLInputElement>) => onChange(event.currentTarget.value) }
  if (isSecret) return <PasswordField ref={short} autoComplete="new-password" {...take} {...shared} />
  return <TextInput ref={short} autoComplete="off" {...(isNumber && { inputMode: 'numeric' })} {...take} {...shared} />
}
