export { LoginBranding } from './login-branding.ts'
export { brandingRoutes } from './routes.ts'
