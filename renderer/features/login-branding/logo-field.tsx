import { Box, Button, FileButton, Group, Input, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type DragEvent, type ReactNode, useState } from 'react'
import { logoKinds } from '../../../shared/api/login-branding.ts'
import { messageFor } from '../../lib/error-messages.ts'
import classes from './logo-field.module.css'
import { logoFromFile } from './logo-file.ts'

interface Props {
  /** A data URI or an https URL; empty for none. */
  value: string
  error: ReactNode
  isEditable: boolean
  onChange: (logo: string) => void
}

/** A logo as a file, stored on the appliance, or by its URL. */
export function LogoField({ value, error, isEditable, onChange }: Props) {
  const isFile = value.startsWith('data:')
  const [isOver, setOver] = useState(false)
  const read = useMutation({ mutationFn: logoFromFile, onSuccess: onChange })
  const problem = read.error ? messageFor(read.error) : error
  const take = (file: File | null | undefined) => file && read.mutate(file)
  const change = (logo: string) => {
    read.reset()
    onChange(logo)
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    take(event.dataTransfer.files[0])
  }
  if (!isEditable)
    return (
      <Input.Wrapper label="Logo" labelElement="div">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {isFile ? 'Custom image' : value || 'None'}
        </Text>
      </Input.Wrapper>
    )
  return (
    <Stack gap="xs">
      <Input.Wrapper
        label="Logo"
        labelElement="div"
        description="PNG, JPEG or WebP, ideally with a transparent background. Large images are scaled down."
        error={isFile || read.error ? problem : undefined}
      >
        <Box
          role="group"
          aria-label="Logo file"
          className={classes.area}
          data-over={isOver || undefined}
          onDragOver={(event) => {
            event.preventDefault()
            setOver(true)
          }}
          onDragLeave={() => setOver(false)}
          onDrop={drop}
        >
          {isFile && <img src={value} alt="Current logo" className={classes.logo} />}
          <Group gap="xs" justify="center">
            <FileButton onChange={take} accept={logoKinds.join(',')} inputProps={{ 'aria-label': 'Image file' }}>
              {(button) => (
                <Button variant="default" size="xs" loading={read.isPending} {...button}>
                  {isFile ? 'Choose another file' : 'Choose file'}
                </Button>
              )}
            </FileButton>
            {value && (
              <Button variant="subtle" size="xs" onClick={() => change('')}>
                Remove logo
              </Button>
            )}
          </Group>
          <Text size="xs" c="dimmed">
            or drop one here
          </Text>
        </Box>
      </Input.Wrapper>
      {!isFile && (
        <TextInput
          label="Or image address"
          type="url"
          placeholder="https://example.com/logo.png"
          description="Browsers load it from there on the sign-in page."
          value={value}
          error={read.error ? undefined : problem}
          onChange={(event) => change(event.currentTarget.value)}
        />
      )}
    </Stack>
  )
}
