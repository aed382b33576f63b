export { createLoginBranding } from './create-login-branding.ts'
