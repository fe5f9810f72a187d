import { BackSide, BoxGeometry, Mesh, ShaderMaterial } from "three";
import { SKY_GLSL, type SkyUniforms } from "./sky-uniforms.ts";

/** A cube around the eye, at any distance: only its directions count. */
const VERTEX = /* glsl */ `
varying vec3 direction;
void main() {
  direction = position;
  vec4 seen = projectionMatrix * vec4(mat3(viewMatrix) * position, 1.0);
  gl_Position = seen.xyww;
}`;

const OUTPUT = /* glsl */ `
  #include <tonemapping_fragment>
  #include <colorspace_fragment>
`;

const DOME = /* glsl */ `
varying vec3 direction;
${SKY_GLSL}

float hash(vec3 cell) {
  cell = fract(cell * vec3(0.1031, 0.1030, 0.0973));
  cell += dot(cell, cell.yxz + 33.33);
  return fract((cell.x + cell.y) * cell.z);
}

/** Stars stand still in the frame of the sun, and so turn with the day. */
vec3 stars(vec3 towards) {
  vec3 axis = normalize(vec3(0.0, -0.435, 0.900));
  vec3 turned = vec3(dot(towards, sunDirection), dot(towards, axis), dot(towards, cross(sunDirection, axis)));
  vec3 size = abs(turned);
  float largest = max(size.x, max(size.y, size.z));
  vec3 onCube = turned / largest;
  vec2 face = size.x == largest ? onCube.yz : size.y == largest ? onCube.zx : onCube.xy;
  float side = size.x == largest ? 1.0 + sign(onCube.x) : size.y == largest ? 5.0 + sign(onCube.y) : 9.0 + sign(onCube.z);
  vec2 place = face * 40.0;
  float pixel = 0.6 * length(fwidth(place));
  vec3 cell = vec3(floor(place), side * 17.0);
  float chance = hash(cell);
  if (chance < 0.8) return vec3(0.0);
  vec2 centre = 0.2 + 0.6 * vec2(hash(cell + 7.7), hash(cell + 13.1));
  float magnitude = pow((chance - 0.8) / 0.2, 4.0);
  float width = max(0.03 + 0.03 * magnitude, pixel);
  float star = 1.0 - smoothstep(0.35, 1.0, length(fract(place) - centre) / width);
  float twinkle = 0.82 + 0.18 * sin(time * (0.7 + 2.0 * hash(cell + 3.3)) + 40.0 * chance);
  vec3 tint = mix(vec3(0.75, 0.84, 1.0), vec3(1.0, 0.93, 0.82), hash(cell + 21.0));
  return tint * star * twinkle * (0.12 + 0.75 * magnitude);
}

/** Where a direction meets the disc of the sun or the moon, from its centre; z says whether it does. */
vec3 onDisc(vec3 towards, vec3 centre, float radius) {
  vec3 along = normalize(cross(centre, vec3(0.0, 1.0, 0.0)));
  vec3 up = cross(along, centre);
  return vec3(dot(towards, along), dot(towards, up), dot(towards, centre)) / vec3(radius, radius, 1.0);
}

float rounded(vec2 at, float corner) {
  vec2 beyond = max(abs(at) - 1.0 + corner, 0.0);
  return length(beyond) - corner;
}

void main() {
  vec3 towards = normalize(direction);
  vec3 colour = skyTowards(towards);
  float clear = (1.0 - underWater) * smoothstep(-0.01, 0.06, towards.y);
  if (underWater < 0.5 && towards.y > -0.05) {
    float night = 1.0 - smoothstep(-0.24, -0.04, sunDirection.y);
    if (night > 0.0) colour += stars(towards) * night * clear * smoothstep(0.0, 0.3, towards.y);

    float low = 1.0 - smoothstep(0.0, 0.45, sunDirection.y);
    vec3 sun = onDisc(towards, sunDirection, mix(0.042, 0.062, low));
    if (sun.z > 0.0) {
      float edge = rounded(sun.xy, 0.35);
      float blur = fwidth(edge) + 0.02;
      colour = mix(colour, mix(sunColour, vec3(1.0, 0.96, 0.88), 0.45) * mix(1.25, 1.15, low), (1.0 - smoothstep(-blur, blur, edge)) * (1.0 - underWater) * smoothstep(-0.025, 0.0, towards.y) * smoothstep(-0.1, 0.0, sunDirection.y));
    }
    vec3 moon = onDisc(towards, -sunDirection, 0.04);
    if (moon.z > 0.0) {
      float edge = rounded(moon.xy, 0.35);
      float blur = fwidth(edge) + 0.02;
      // A few darker squares, such as seas on a face of eight pixels.
      vec2 square = floor((moon.xy + 1.0) * 4.0);
      float sea = step(0.72, hash(vec3(square, 4.0))) * 0.22 + step(0.6, hash(vec3(floor(square / 2.0), 9.0))) * 0.14;
      float glow = exp(-3.0 * max(edge, 0.0)) * 0.05;
      float up = smoothstep(-0.12, 0.02, -sunDirection.y) * (1.0 - 0.75 * smoothstep(-0.1, 0.2, sunDirection.y));
      vec3 pale = vec3(0.58, 0.67, 0.86) * (1.0 - sea);
      colour += pale * glow * up * clear * night;
      colour = mix(colour, pale, (1.0 - smoothstep(-blur, blur, edge)) * up * clear);
    }
  }
  gl_FragColor = vec4(colour, 1.0);
  ${OUTPUT}
}`;

const CLOUDS = /* glsl */ `
varying vec3 direction;
uniform mat4 projectionMatrix;
${SKY_GLSL}

void main() {
  vec3 towards = normalize(direction);
  // The layer is above the eye, or below it if the eye flies over the clouds.
  float height = cloudsFrom.y;
  float distance = height / towards.y;
  float far = length(towards.xz) * distance;
  if (underWater > 0.5 || towards.y * height <= 0.0 || far > 1500.0) discard;
  float density = cloudsAt(towards * distance);
  float alpha = density * 0.82 * (1.0 - smoothstep(300.0, 1500.0, far)) * smoothstep(0.0, 12.0, abs(height));
  if (alpha < 0.004) discard;
  float toSun = max(dot(towards, sunDirection), 0.0);
  // Thin edges are brighter than what is thick, seen from below.
  vec3 lit = skyLight * mix(1.0, 0.93, height > 0.0 ? density : 0.0) * mix(0.3, 1.0, smoothstep(-0.22, 0.1, sunDirection.y));
  vec3 colour = mix(lit, skyTowards(towards), 0.16) + sunColour * 0.12 * pow(toSun, 10.0) * smoothstep(-0.1, 0.1, sunDirection.y);
  vec4 seen = projectionMatrix * vec4(mat3(viewMatrix) * (towards * distance), 1.0);
  gl_FragDepth = clamp(0.5 + 0.5 * seen.z / seen.w, 0.0, 0.99999);
  gl_FragColor = vec4(colour, alpha);
  ${OUTPUT}
}`;

/** Returns a mesh that paints everything behind the world: air, sun, moon and stars. */
export function skyDome(uniforms: SkyUniforms): Mesh<BoxGeometry, ShaderMaterial> {
  const material = new ShaderMaterial({
    name: "sky",
    uniforms: { ...uniforms },
    vertexShader: VERTEX,
    fragmentShader: DOME,
    side: BackSide,
    depthWrite: false,
  });
  return around(material, -1_000);
}

/** Returns a mesh that paints the layer of clouds, which what is nearer hides. */
export function cloudLayer(uniforms: SkyUniforms): Mesh<BoxGeometry, ShaderMaterial> {
  const material = new ShaderMaterial({
    name: "clouds",
    uniforms: { ...uniforms },
    vertexShader: VERTEX,
    fragmentShader: CLOUDS,
    side: BackSide,
    transparent: true,
    depthWrite: false,
  });
  return around(material, -1);
}

function around(material: ShaderMaterial, renderOrder: number): Mesh<BoxGeometry, ShaderMaterial> {
  const mesh = new Mesh(new BoxGeometry(2, 2, 2), material);
  mesh.frustumCulled = false;
  mesh.renderOrder = renderOrder;
  mesh.raycast = () => {}; // the sky is behind everything, and is never what is pointed at
  return mesh;
}
