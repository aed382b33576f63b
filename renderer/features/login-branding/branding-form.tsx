import { Button, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { LoginBranding } from '../../../shared/api/login-branding.ts'
import { defaultBranding, saveLoginBranding } from '../../data/login-branding.ts'
import { fieldErrorsOf } from '../../lib/error-messages.ts'
import { notifyDone } from '../../lib/notify.ts'
import { useUnsavedChanges } from '../../lib/unsaved-changes.ts'
import { askToConfirm } from '../../ui/confirm.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { Panel } from '../../ui/panel.tsx'
import { AccentField } from './accent-field.tsx'
import { LogoField } from './logo-field.tsx'
import { SignInPreview } from './sign-in-preview.tsx'

const valuesOf = ({ logoUrl, accentColor, headline }: LoginBranding) => ({
  logoUrl: logoUrl ?? '',
  accentColor: accentColor ?? '',
  headline: headline ?? '',
})
type Values = ReturnType<typeof valuesOf>

const brandingOf = ({ logoUrl, accentColor, headline }: Values): LoginBranding => ({
  logoUrl: logoUrl.trim() || null,
  accentColor: accentColor || null,
  headline: headline.trim() || null,
})

const isColour = (text: string) => /^#[0-9a-f]{6}$/i.test(text)
const isHttps = (text: string) => URL.canParse(text) && new URL(text).protocol === 'https:'
const isImage = (logo: string) => logo.startsWith('data:') || isHttps(logo.trim())
const maxHeadline = 120

export function BrandingForm({ branding, isEditable }: { branding: LoginBranding; isEditable: boolean }) {
  const form = useForm({
    initialValues: valuesOf(branding),
    validate: {
      logoUrl: (logo) => (!logo || isImage(logo) ? null : 'Enter an address that starts with https://'),
      accentColor: (colour) => (!colour || isColour(colour) ? null : 'Enter the color as #1a2b3c'),
    },
  })
  useUnsavedChanges(form.isDirty())
  const [failedLogo, setFailedLogo] = useState<string | null>(null)
  const save = useMutation({
    ...saveLoginBranding,
    onSuccess: (saved) => {
      form.setInitialValues(valuesOf(saved))
      form.setValues(valuesOf(saved))
      notifyDone('Sign-in page saved')
      saveLoginBranding.onSuccess(saved)
    },
    onError: (error) => form.setErrors(fieldErrorsOf(error)),
  })
  const removeAll = async () => {
    const isConfirmed = await askToConfirm({
      title: 'Reset the sign-in page?',
      consequences: 'Logo, color and headline are removed. The image isn’t kept.',
      confirm: 'Remove all',
    })
    if (isConfirmed) save.mutate(defaultBranding)
  }
  const { logoUrl, accentColor, headline } = form.values
  const shown: LoginBranding = {
    logoUrl: isImage(logoUrl) ? logoUrl.trim() : null,
    accentColor: isColour(accentColor) ? accentColor : null,
    headline: headline.trim() || null,
  }
  const fail = () => setFailedLogo(shown.logoUrl)
  const isAnythingStored = Object.values(branding).some(Boolean)
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} style={{ alignItems: 'start' }}>
      <Panel title="Sign-in page">
        <form
          aria-label="Sign-in page"
          data-read-only={!isEditable || undefined}
          onSubmit={form.onSubmit((values) => save.mutate(brandingOf(values)))}
          noValidate
        >
          <Stack>
            <FormError error={save.error} />
            <LogoField
              value={logoUrl}
              error={form.errors.logoUrl}
              isEditable={isEditable}
              onChange={(logo) => form.setFieldValue('logoUrl', logo)}
            />
            <AccentField
              value={accentColor}
              error={form.errors.accentColor}
              isEditable={isEditable}
              onChange={(colour) => form.setFieldValue('accentColor', colour)}
            />
            <TextInput
              label="Headline"
              description={`Shown above the form. ${headline.length} of ${maxHeadline} characters.`}
              maxLength={maxHeadline}
              readOnly={!isEditable}
              {...form.getInputProps('headline')}
            />
            {isEditable && (
              <Group justify="space-between">
                <Button type="submit" variant="default" loading={save.isPending} disabled={!form.isDirty()}>
                  Save
                </Button>
                {isAnythingStored && (
                  <Button variant="subtle" color="red" onClick={removeAll}>
                    Remove all…
                  </Button>
                )}
              </Group>
            )}
          </Stack>
        </form>
      </Panel>
      <Panel title="Preview">
        <Stack>
          {shown.logoUrl && shown.logoUrl === failedLogo && (
            <Text size="sm" c="dimmed" role="status">
              The image at this address can’t be previewed. Images from other addresses load only after saving and
              reloading the page. Until then, and if no image is there, Homeport’s own logo is shown.
            </Text>
          )}
          <SimpleGrid cols={{ base: 1, sm: 2, lg: 1 }}>
            <SignInPreview scheme="light" branding={shown} onLogoFailed={fail} />
            <SignInPreview scheme="dark" branding={shown} onLogoFailed={fail} />
          </SimpleGrid>
        </Stack>
      </Panel>
    </SimpleGrid>
  )
}
