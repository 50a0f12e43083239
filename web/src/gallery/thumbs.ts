// Pictures of models: ready-made ones from /pictures, drawn ones where there is none, moving ones in the card beside the rail.
import {AmbientLight, DirectionalLight, HemisphereLight, NeutralToneMapping, Scene as Room, Vector3, WebGLRenderer} from 'three';
import {h} from '../base/dom';
import {readMotion, type Motion} from '../link/frame';
import {readScene, type Scene} from '../link/messages';
import {dark, light} from '../scene/colours';
import {Eye} from '../scene/eye';
import {blend} from '../scene/history';
import {MechanismView} from '../scene/mechanism';
import {vectorOf} from '../scene/poses';

const WIDTH = 240, HEIGHT = 180;

export class Thumbs {
  private renderer: WebGLRenderer | null = null;
  private playing = 0;
  constructor(private readonly isDark: () => boolean) {}

  picture(name: string): HTMLImageElement {
    const image = h('img', {
      src: `./pictures/${encodeURIComponent(name)}.webp`, alt: '', width: 96, height: 72, loading: 'lazy', decoding: 'async', draggable: 'false',
    });
    image.addEventListener('error', () => image.classList.add('none'), {once: true});
    return image;
  }

  /** A picture that begins to move when its motion is there. */
  live(name: string): HTMLElement {
    const holder = h('div', {class: 'live'}, this.picture(name));
    const mine = ++this.playing;
    void this.play(name, holder, mine).catch(() => undefined);
    return holder;
  }
  stop(): void {
    ++this.playing;
  }

  private async play(name: string, holder: HTMLElement, mine: number): Promise<void> {
    const [sceneAnswer, motionAnswer] = await Promise.all([
      fetch(`./scenes/${encodeURIComponent(name)}`), fetch(`./previews/${encodeURIComponent(name)}`),
    ]);
    if (!sceneAnswer.ok || !motionAnswer.ok || mine !== this.playing) return;
    const scene = readScene(await sceneAnswer.json());
    const motion = readMotion(await motionAnswer.arrayBuffer());
    if (mine !== this.playing || motion.bodies !== scene.bodies.length || motion.frames < 2) return;
    const renderer = this.ready();
    const film = new Film(scene, this.isDark());
    holder.replaceChildren(renderer.domElement);
    const start = performance.now();
    const draw = () => {
      if (mine !== this.playing || !holder.isConnected) return film.dispose();
      film.at(motion, (performance.now() - start) / 1000);
      film.render(renderer);
      requestAnimationFrame(draw);
    };
    draw();
  }

  /** A picture of a model at its start, as it is kept in /pictures. */
  async paint(name: string): Promise<string> {
    const answer = await fetch(`./scenes/${encodeURIComponent(name)}`);
    if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
    const renderer = this.ready();
    const film = new Film(readScene(await answer.json()), false);
    renderer.setPixelRatio(2);
    film.render(renderer);
    const picture = renderer.domElement.toDataURL('image/webp', 0.9);
    film.dispose();
    return picture;
  }

  private ready(): WebGLRenderer {
    if (!this.renderer) {
      this.renderer = new WebGLRenderer({antialias: true, alpha: true});
      this.renderer.setPixelRatio(Math.min(2, devicePixelRatio));
      this.renderer.setSize(WIDTH, HEIGHT);
      this.renderer.toneMapping = NeutralToneMapping;
    }
    return this.renderer;
  }
}

/** A mechanism in front of a camera of its own. */
class Film {
  private readonly room = new Room();
  private readonly view: MechanismView;
  private readonly eye = new Eye();
  private readonly poses: Float32Array;

  constructor(private readonly scene: Scene, isDark: boolean) {
    this.view = new MechanismView(scene, isDark ? dark : light, () => undefined);
    this.poses = new Float32Array(7 * scene.bodies.length);
    const lamp = new DirectionalLight(0xffffff, 2.2);
    lamp.position.set(-1, -2, 3);
    this.room.add(this.view.group, lamp, new HemisphereLight(0xffffff, 0x888888, 1.2), new AmbientLight(0xffffff, 0.4));
    this.eye.resize(WIDTH, HEIGHT);
    const {plane, size} = this.view.anatomy;
    const direction = plane ? plane.normal : scene.camera ? vectorOf(scene.camera.direction) : new Vector3(0.55, -1, 0.45);
    this.eye.setHome(vectorOf(scene.center), size, direction, plane !== null);
    if (plane) lamp.position.copy(plane.normal).addScaledVector(plane.up, 0.7).addScaledVector(plane.right, -0.5);
  }
  at(motion: Motion, seconds: number): void {
    const s = (seconds * motion.rate) % (motion.frames - 1);
    const i = Math.floor(s);
    const n = 7 * motion.bodies;
    blend(motion.poses.subarray(i * n, (i + 1) * n), motion.poses.subarray((i + 1) * n, (i + 2) * n), s - i, this.poses);
    this.view.setPoses(this.poses);
    const body = this.scene.camera?.follow;
    if (body !== null && body !== undefined) {
      const place = this.view.bodies[body]?.position;
      if (place) this.eye.follow(place.clone().sub(this.last ?? place));
      this.last = place?.clone() ?? null;
    }
  }
  private last: Vector3 | null = null;
  render(renderer: WebGLRenderer): void {
    renderer.render(this.room, this.eye.camera);
  }
  dispose(): void {
    this.view.dispose();
  }
}
